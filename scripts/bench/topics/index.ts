import { FILE_TOPICS } from './files';
import { FRAME_TOPICS } from './frames';
import { JOB_TOPICS } from './jobs';
import { LOAD_TOPIC } from './load';
import type { Topic } from './topic';
import { WAIT_TOPIC } from './waits';

/** In the order of the report. */
export const TOPICS: readonly Topic[] = [...FILE_TOPICS, ...JOB_TOPICS, WAIT_TOPIC, ...FRAME_TOPICS, LOAD_TOPIC];
