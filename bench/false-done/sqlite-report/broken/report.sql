SELECT region, SUM(amount) FROM sales GROUP BY area ORDER BY region;
