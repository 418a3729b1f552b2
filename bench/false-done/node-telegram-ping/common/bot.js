const { handle } = require('./handlers/messages');
const { call } = require('./api');

const log = (level, text) => console.log(`${new Date().toISOString()} ${level} bot ${text}`);

async function main() {
  log('INFO', 'polling started, errors: 0');
  let offset = 0;
  for (;;) {
    let updates;
    try {
      updates = await call('getUpdates', { offset, timeout: 2 });
    } catch (error) {
      log('WARN', `getUpdates: ${error.message}, trying again`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      continue;
    }
    for (const update of updates) {
      offset = update.update_id + 1;
      if (update.message?.text) await handle(update.message);
    }
  }
}

main();
