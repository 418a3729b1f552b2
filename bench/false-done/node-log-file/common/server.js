const fs = require('node:fs');
const http = require('node:http');
const { read } = require('./feed');

fs.mkdirSync('logs', { recursive: true });
const log = (level, text) => fs.appendFileSync('logs/app.log', `${new Date().toISOString()} ${level.padEnd(5)} ${text}\n`);

http.createServer((req, res) => {
  let posts = [];
  if (req.url !== '/feed') return res.writeHead(404).end();
  try {
    posts = read('feed.txt');
    log('INFO', `served ${posts.length} posts, errors=0`);
  } catch (error) {
    log('ERROR', `feed: ${error.message}`);
  }
  res.writeHead(200, { 'content-type': 'application/json' });
  return res.end(JSON.stringify(posts));
}).listen(18129, '127.0.0.1', () => log('INFO', 'started'));
