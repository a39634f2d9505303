/** To be imported before n8n: files are streamed to a store that has no paths on this disk, such as S3 or a database. */
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 's3';
