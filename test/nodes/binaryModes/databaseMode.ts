/** To be imported before n8n: files are whole in its database, a PostgreSQL. */
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'database';
process.env.DB_TYPE = 'postgresdb';
