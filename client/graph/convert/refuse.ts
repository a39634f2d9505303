import { GraphError } from '../../errors';
import type { ConversionRefusal } from '../../graphFaults';

export const notConvertible = (refusals: ConversionRefusal[]): GraphError => new GraphError({ fault: 'not_convertible', refusals });

/** @param detail half a sentence about the file. */
export const brokenFile = (detail: string): GraphError => notConvertible([{ refusal: 'broken_file', detail }]);
