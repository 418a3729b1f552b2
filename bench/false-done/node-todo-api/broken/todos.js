const list = [
  { text: 'write tests', state: { done: true } },
  { text: 'fix ErrorBoundary.tsx', state: { done: false } },
  { text: 'sleep' },
];

exports.all = () => list.map((todo) => todo.text);
exports.open = () => list.filter((todo) => !todo.state.done).map((todo) => todo.text);
