const net = require('node:net');
const readline = require('node:readline');

const values = new Map();

function answer(values, line) {
  const [command, key, ...rest] = line.trim().split(' ');
  if (command === 'SET') {
    values.set(key, rest.join(' '));
    return 'OK';
  }
  if (command === 'GET') return values.get(key) ?? '(nil)';
  return `ERR unknown command ${command}`;
}

net.createServer((socket) => {
  socket.on('error', () => console.info('client left early'));
  readline.createInterface({ input: socket }).on('line', (line) => socket.write(`${answer(values, line)}\n`));
}).listen(18123, '127.0.0.1', () => console.info('store: no errors, 0 keys'));
