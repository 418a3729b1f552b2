const response = await fetch('http://127.0.0.1:18167/now');
const { temperature } = await response.json();
console.log(`${temperature} degrees`);
