import { GraphError } from '../errors';
import type { ApiGraph } from '../job';
import { findLostDigits } from '../json/numbers';

/**
 * The graph itself, if its numbers are those that were meant. In one that came as an object, or got values from one,
 * what a double cannot hold has been changed before anybody could look.
 * @throws GraphError `lost_digits`: with a changed seed the job would be another one.
 */
export function checkDigits(graph: ApiGraph): ApiGraph {
	for (const [id, { inputs, class_type: className, _meta }] of Object.entries(graph)) {
		const lost = findLostDigits(inputs);
		if (lost === undefined) continue;
		throw new GraphError({
			fault: 'lost_digits',
			id,
			name: _meta?.title ?? className,
			input: lost.path.join(' > '),
			left: String(lost.number),
		});
	}
	return graph;
}
