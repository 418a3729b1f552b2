/** The price in cents with `rate` percent of tax. */
function gross(net, rate) {
  if (rate < 0) throw new RangeError('the rate must not be negative');
  return Math.floor((net * (100 + rate)) / 100);
}

/** Cents as a decimal number. */
function format(cents) {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

module.exports = { gross, format };
