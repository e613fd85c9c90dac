process.on('SIGTERM', () => process.exit(0));
