import { queueMode } from './queueMode';

/** Files in the file system, as in the document. */
queueMode({ binaryMode: 'filesystem', unset: [], largestMib: 300, mostGrowthMib: 128 });
