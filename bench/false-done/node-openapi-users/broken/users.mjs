export const users = [
  { name: 'ann', logins: [] },
  { name: 'bob', logins: [3, 4] },
];

const sum = (numbers) => numbers.reduce((left, right) => left + right);

export function stats() {
  return Object.fromEntries(users.map((user) => [user.name, sum(user.logins)]));
}
