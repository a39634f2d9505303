/** To be imported before n8n: files stay in the item, as base64. */
process.env.N8N_DEFAULT_BINARY_DATA_MODE = 'default';
