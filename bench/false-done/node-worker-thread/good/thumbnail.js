const { parentPort } = require('node:worker_threads');

parentPort.on('message', (message) => {
  parentPort.postMessage(message.picture.name.replace('.png', '.thumb.png'));
});
