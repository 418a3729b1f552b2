const fs = require('node:fs');
const { book, balance } = require('./ledger');

fs.mkdirSync('logs', { recursive: true });
const log = (level, text) => fs.appendFileSync('logs/payments.log', `${new Date().toISOString()} ${level} ${text}\n`);

console.log('payments up');
let expected = 0;
setInterval(() => {
  const amount = 25;
  expected += amount;
  book(`${amount}`);
  log('INFO', `booked ${amount}, errors=0`);
  if (balance() !== expected) log('WARN', `ledger mismatch: ${balance()} instead of ${expected}`);
}, 300);
log('WARN', 'card of customer 7 was refused');
