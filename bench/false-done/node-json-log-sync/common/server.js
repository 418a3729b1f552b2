const http = require('node:http');
const { round } = require('./sync');

const LEVELS = { info: 30, warn: 40, error: 50 };
const log = (level, msg, more = {}) =>
  process.stdout.write(`${JSON.stringify({ level: LEVELS[level], time: Date.now(), msg, ...more })}\n`);

setInterval(() => {
  try {
    log('info', 'round finished', { moved: round(), errors: 0 });
  } catch (error) {
    log('error', 'round failed', { err: { type: error.name, message: error.message, stack: error.stack } });
  }
}, 300);

http.createServer((req, res) => {
  const known = req.url === '/health';
  res.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
  res.end(JSON.stringify({ status: known ? 'ok' : 'not found' }));
}).listen(18120, '127.0.0.1', () => {
  log('warn', 'peer answered slowly, retry 1 of 3 succeeded');
  log('info', 'listening', { port: 18120, lastError: null });
});
