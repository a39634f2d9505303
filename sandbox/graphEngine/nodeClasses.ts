import type { NodeClass } from './nodeClass';
import { imageNodes } from './nodes/images';
import { loaders } from './nodes/loaders';
import { makers } from './nodes/makers';
import { sandboxNodes } from './nodes/sandboxNodes';
import { saveMedia } from './nodes/saveMedia';
import { savers } from './nodes/savers';

/** Every class this engine knows, by name. Names that do not start with `Sandbox` are ComfyUI's own. */
export const nodeClasses: ReadonlyMap<string, NodeClass> = new Map(
	Object.entries({ ...loaders, ...makers, ...imageNodes, ...savers, ...saveMedia, ...sandboxNodes }),
);
