import { createServer } from 'node:http';
import { users, stats } from './users.mjs';

const routes = { '/users': () => users, '/users/stats': stats };

createServer((request, response) => {
  const route = routes[request.url];
  const send = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (!route) return send(404, { message: 'unknown' });
  try {
    return send(200, route());
  } catch {
    return send(500, { message: 'internal' });
  }
}).listen(18121, '127.0.0.1', () => console.log('users api: up'));
