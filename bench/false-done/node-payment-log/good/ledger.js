let sum = 0;

exports.book = (amount) => {
  sum += Number(amount);
};
exports.balance = () => sum;
