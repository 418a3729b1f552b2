const { readFile } = require('node:fs/promises');
const path = require('node:path');

exports.randomQuote = async () => {
  const quotes = JSON.parse(await readFile(path.join(__dirname, 'quotes.json'), 'utf8'));
  return quotes[Math.floor(Math.random() * quotes.length)];
};
