const assert = require('node:assert');
const { test } = require('node:test');
const { gross, format } = require('./price');

test('gross adds the tax and rounds to a cent', () => {
  assert.strictEqual(gross(1999, 19), 2379);
  assert.strictEqual(gross(100, 7), 107);
});

test('an invalid rate is an error, and that is expected', () => {
  assert.throws(() => gross(100, -1), /Error|rate/);
});

test('cents are shown with two digits', () => {
  assert.strictEqual(format(2305), '23.05');
});
