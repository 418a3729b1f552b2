exports.total = (rows) => rows.reduce((sum, row) => sum + BigInt(row), 0n);
