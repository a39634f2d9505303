import { engine, olderEngine } from './engine';
import type { Interface } from './interface';
import { routerDirect, routerQueued } from './router';
import { v1 } from './v1';
import { deployment, v2 } from './v2';

export const INTERFACES: readonly Interface[] = [v2, deployment, v1, engine, olderEngine, routerDirect, routerQueued];
