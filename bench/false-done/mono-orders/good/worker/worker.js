const fs = require('node:fs');

function round() {
  for (const order of JSON.parse(fs.readFileSync('../orders.json', 'utf8'))) {
    try {
      console.log(`INFO shipped ${order.id.toUpperCase()}`);
    } catch (problem) {
      console.log(`ERROR order not shipped: ${problem.message}`);
    }
  }
}

console.log('INFO worker up, 0 errors');
setInterval(round, 300);
