/** Graphs in API format, as users paste them. */
import type { ApiGraph } from '../../../client';
import { colorGraph, failingGraph, slowGatedGraph, slowGraph } from '../../nodes/support/graphs';

/** Saves one small picture. */
export const quick = colorGraph(255);

/** Stays on its node 2 for this long. */
export const slowFor = (milliseconds: number): ApiGraph => slowGraph(Math.ceil(milliseconds / 100), 100);

/** Longer than any test waits: it ends when it is canceled. */
export const endless = slowFor(900_000);

/**
 * At 50 percent after its node 2; then it waits until the sandbox opens its gate. Use a new seed each time, because results are
 * cached.
 */
export const gated = (seed: number): ApiGraph => slowGatedGraph(10, 100, seed);

export const failing = failingGraph();

/** Its node 2 sends a picture to a live connection only, so that no file is saved. */
export const unsaved: ApiGraph = { ...quick, '2': { class_type: 'SaveImageWebsocket', inputs: { images: ['1', 0] } } };

/** Its node 2 shows a picture in a temporary file. */
export const previewed: ApiGraph = { ...quick, '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } } };
