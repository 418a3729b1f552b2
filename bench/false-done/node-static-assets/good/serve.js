const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const root = path.join(__dirname, 'public');
const types = { '.html': 'text/html', '.css': 'text/css' };

function locate(url) {
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname === '/') return path.join(root, 'index.html');
  return path.join(root, path.normalize(pathname));
}

http.createServer((req, res) => {
  const file = locate(req.url);
  fs.readFile(file, (problem, bytes) => {
    if (problem) {
      console.warn(`warn: ${req.url} is not there`);
      return res.writeHead(404).end('not found');
    }
    res.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
    return res.end(bytes);
  });
}).listen(18122, '127.0.0.1');
