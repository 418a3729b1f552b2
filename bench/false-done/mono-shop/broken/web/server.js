const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const file = path.join(__dirname, '..', 'prices.json');

function front() {
  const prices = JSON.parse(fs.readFileSync(file, 'utf8'));
  const rows = Object.entries(prices).map(([name, price]) => `<li>${name} ${price.toFixed(2)}</li>`);
  return `<ul>${rows.join('')}</ul>`;
}

http.createServer((req, res) => {
  if (req.url !== '/') return res.writeHead(404).end();
  try {
    const page = front();
    return res.writeHead(200, { 'content-type': 'text/html' }).end(page);
  } catch (problem) {
    console.error(`ERROR front page: ${problem.message}`);
    return res.writeHead(500).end('sorry');
  }
}).listen(18163, '127.0.0.1', () => console.log('INFO web is up'));
