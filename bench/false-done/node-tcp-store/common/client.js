const net = require('node:net');

const connection = net.connect(18123, '127.0.0.1', () => connection.write(`${process.argv.slice(2).join(' ')}\n`));
connection.setTimeout(2000, () => process.exit(1));
connection.once('data', (bytes) => {
  process.stdout.write(bytes);
  connection.end();
});
