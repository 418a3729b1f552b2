const http = require('node:http');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

let finished = 0;
const log = (level, text) => console.error(`[${new Date().toISOString()}] [${level}] thumbnails: ${text}`);

function start() {
  const worker = new Worker(path.join(__dirname, 'thumbnail.js'));
  worker.on('message', (name) => {
    finished += 1;
    log('INFO', `made ${name}`);
  });
  worker.on('error', (error) => {
    log('ERROR', `worker failed: ${error.message}`);
    setTimeout(start, 1000);
  });
  setInterval(() => worker.postMessage({ picture: { name: `cat-${finished}.png` } }), 400).unref();
}

http.createServer((req, res) => {
  if (req.url === '/status') return res.end(JSON.stringify({ finished, failed: 0 }));
  return res.writeHead(404).end();
}).listen(18125, '127.0.0.1', () => log('INFO', 'up; stderr is our log'));
start();
