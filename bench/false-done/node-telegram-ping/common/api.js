const base = process.env.TELEGRAM_API_BASE ?? 'https://api.telegram.org';
const token = process.env.TELEGRAM_TOKEN ?? '123456:TEST';

async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!answer.ok) throw new Error(`${response.status} ${answer.description}`);
  return answer.result;
}

exports.post = post;
exports.root = `${base}/bot${token}`;
exports.call = (method, body) => post(`${exports.root}/${method}`, body);
