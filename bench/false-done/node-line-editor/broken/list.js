const readline = require('node:readline');

const items = [];
const parse = (word) => (/^\d+$/.test(word) ? Number(word) : word);

console.log('shopping list: add THING, list, quit');
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [command, word] = line.trim().split(/\s+/);
  if (command === 'add') {
    items.push(parse(word));
    console.log(`added ${word}`);
  } else if (command === 'list') {
    items.sort((a, b) => a.localeCompare(b));
    console.log(items.join(', '));
  } else if (command === 'quit') {
    process.exit(0);
  }
});
