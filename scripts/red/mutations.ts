import { graphs } from './mutations/graphs';
import { subgraphs } from './mutations/subgraphs';
import { workflows } from './mutations/workflows';
import { apps } from './mutations/apps';
import { identity } from './mutations/identity';
import { money } from './mutations/money';
import { time } from './mutations/time';
import { doors } from './mutations/doors';
import { promised } from './mutations/promised';
import type { Mutation } from './mutations/mutation';

/** All of them, by what they guard. */
export const MUTATIONS: Mutation[] = [
	...graphs,
	...subgraphs,
	...workflows,
	...apps,
	...identity,
	...money,
	...time,
	...doors,
	...promised,
];
