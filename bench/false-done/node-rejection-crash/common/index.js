const http = require('node:http');
const { randomQuote } = require('./quotes');

async function answer(req, res) {
  if (req.url !== '/') {
    res.writeHead(404).end();
    return;
  }
  res.writeHead(200, { 'content-type': 'text/plain' });
  res.end(await randomQuote());
}

http.createServer((req, res) => { answer(req, res); }).listen(18118, '127.0.0.1', () => {
  process.emitWarning('the quotes format v1 is deprecated', 'DeprecationWarning');
  console.log('listening on http://127.0.0.1:18118');
});
