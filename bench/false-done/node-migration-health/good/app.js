const http = require('node:http');
const { setTimeout: pause } = require('node:timers/promises');

const state = { version: 0, isReady: false };

async function migrate(state) {
  for (const step of [1, 2, 3]) {
    await pause(300);
    state.version = step;
  }
  state.isReady = true;
}

http.createServer((req, res) => {
  if (req.url === '/version') return res.end(`version ${state.version}\n`);
  return res.writeHead(state.isReady ? 200 : 503).end(state.isReady ? 'ok\n' : 'starting\n');
}).listen(18128, '127.0.0.1', async () => {
  await migrate(state);
  console.log('level=info msg="migrations applied" errors=0');
});
