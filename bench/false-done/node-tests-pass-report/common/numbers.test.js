const assert = require('node:assert');
const { test } = require('node:test');
const { total } = require('./numbers');

test('the total of nothing is zero', () => assert.strictEqual(total([]), 0n));
test('large numbers stay exact', () => assert.strictEqual(total([9007199254740993n, 1]), 9007199254740994n));
