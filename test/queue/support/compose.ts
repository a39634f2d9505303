import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../../scripts/n8nHost/environment';

type Settings = Record<string, string | number>;

interface Service {
	image?: string;
	depends_on?: Record<string, { condition: string }>;
	healthcheck?: object;
	command?: string;
	environment?: Settings;
	stop_grace_period?: string;
	volumes: string[];
}

/** The compose file of `docs/queue-mode.md`. */
interface Compose {
	services: Record<'main' | 'worker-1' | 'worker-2' | 'redis' | 'postgres' | 'files', Service>;
	volumes: Record<string, null>;
}

export const readCompose = (): Compose =>
	parse(readFileSync(join(projectRoot, 'docs/compose.queue.yaml'), 'utf8'), { merge: true }) as Compose;

/** As a container has them. */
export const environmentOf = ({ environment = {} }: Service): NodeJS.ProcessEnv =>
	Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
