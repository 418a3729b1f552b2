const source = ['a', 'b', 'c'];
const target = [];

exports.round = () => {
  const next = source.shift();
  if (next === undefined) return 0;
  target.push(next.toUpperCase());
  source.push(...target.splice(0, target.length - 2));
  return 1;
};
