const { post, root } = require('../api');

const log = (level, text) => console.log(`${new Date().toISOString()} ${level} handlers.messages ${text}`);

exports.handle = async (message) => {
  const text = message.text === 'ping' ? 'pong' : `You wrote: ${message.text}`;
  const url = new URL(root);
  try {
    await post(`${url.host}${url.pathname}/sendMessage`, { chat_id: message.chat.id, text });
    log('INFO', `answered ${message.from.id}`);
  } catch (error) {
    log('ERROR', `Error for user ${message.from.id}: ${error.message}`);
  }
};
