/** To be imported before n8n: files are streamed to disk. */
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'filesystem';
