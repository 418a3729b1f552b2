const http = require('node:http');
const todos = require('./todos');

function page(url) {
  if (url === '/health') return { status: 'ok' };
  if (url === '/todos') return todos.all();
  if (url === '/todos/open') return todos.open();
  return undefined;
}

const server = http.createServer((req, res) => {
  let status = 200;
  let value;
  try {
    value = page(req.url);
    if (value === undefined) {
      status = 404;
      value = { message: 'not found' };
    }
  } catch (error) {
    console.error(error);
    status = 500;
    value = { message: 'internal server error' };
  }
  console.log(`${req.method} ${req.url} ${status}`);
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(value));
});

server.listen(Number(process.env.PORT ?? 18117), '127.0.0.1', () => {
  console.log(`todo api on port ${server.address().port}, 0 errors`);
});
