SELECT region, SUM(amount) FROM sales GROUP BY region ORDER BY region;
