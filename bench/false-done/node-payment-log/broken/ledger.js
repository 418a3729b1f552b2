let sum = 0;

exports.book = (amount) => {
  sum += amount;
};
exports.balance = () => sum;
