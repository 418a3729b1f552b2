const fs = require('node:fs');
const http = require('node:http');

function gallery() {
  const { pictures } = JSON.parse(fs.readFileSync('manifest.json', 'utf8'));
  const figures = pictures.map((name) => `<figure>${fs.readFileSync(`pictures/${name}.svg`, 'utf8')}</figure>`);
  return `<!doctype html><title>Gallery</title>${figures.join('')}`;
}

http.createServer((req, res) => {
  if (req.url !== '/') return res.writeHead(404).end();
  try {
    const page = gallery();
    return res.writeHead(200, { 'content-type': 'text/html' }).end(page);
  } catch (problem) {
    console.error(problem.stack);
    return res.writeHead(500).end('cannot show the gallery');
  }
}).listen(18169, '127.0.0.1', () => console.log('gallery at http://127.0.0.1:18169'));
