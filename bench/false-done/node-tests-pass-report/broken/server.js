const http = require('node:http');
const { total } = require('./numbers');

const rows = [120, 80, 40];

function report() {
  const sum = total(rows);
  return `total ${sum}, mean ${sum / rows.length}\n`;
}

http.createServer((req, res) => {
  if (req.url === '/health') return res.end('ok\n');
  if (req.url === '/report') {
    try {
      const text = report();
      return res.end(text);
    } catch (error) {
      console.error(`error: ${error.stack}`);
      return res.writeHead(500).end('no report\n');
    }
  }
  return res.writeHead(404).end();
}).listen(18176, '127.0.0.1', () => console.info('info: report service is up'));
