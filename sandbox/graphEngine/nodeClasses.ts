import type { NodeClass } from './nodeClass';
import { imageNodes } from './classes/images';
import { loaders } from './classes/loaders';
import { makers } from './classes/makers';
import { sandboxNodes } from './classes/sandboxNodes';
import { saveMedia } from './classes/saveMedia';
import { savers } from './classes/savers';

/** Every class this engine knows, by name. Names that do not start with `Sandbox` are ComfyUI's own. */
export const nodeClasses: ReadonlyMap<string, NodeClass> = new Map(
	Object.entries({ ...loaders, ...makers, ...imageNodes, ...savers, ...saveMedia, ...sandboxNodes }),
);
