import { queueMode } from './queueMode';

/** Files in the database: n8n's default in queue mode. */
queueMode({ binaryMode: 'database', unset: ['N8N_DEFAULT_BINARY_DATA_MODE'], largestMib: 250, mostGrowthMib: 2000 });
