const http = require('node:http');

const host = '::1';

const server = http.createServer((req, res) => res.end(`${req.method} ${req.url}\n`));
server.listen(18130, host, () => console.log(`echo is listening on port ${server.address().port}`));
