import { queueMode } from './queueMode';

/** As the document has it. */
queueMode({ binaryMode: 'filesystem', unset: [], largestMib: 300, mostGrowthMib: 128 });
