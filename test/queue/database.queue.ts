import { queueMode } from './queueMode';

/** As n8n keeps files in queue mode where nobody says otherwise. */
queueMode({ binaryMode: 'database', unset: ['N8N_DEFAULT_BINARY_DATA_MODE'], largestMib: 250, mostGrowthMib: 2000 });
