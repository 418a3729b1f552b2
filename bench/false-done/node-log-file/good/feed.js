const fs = require('node:fs');

exports.read = (file) =>
  fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => {
    const [title, day] = line.split('|');
    return { title, day: new Date(day).toISOString() };
  });
