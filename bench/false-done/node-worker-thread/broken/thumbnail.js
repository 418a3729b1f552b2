const { parentPort } = require('node:worker_threads');

parentPort.on('message', (message) => {
  parentPort.postMessage(message.image.name.replace('.png', '.thumb.png'));
});
