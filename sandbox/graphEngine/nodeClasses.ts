import type { NodeClass } from './nodeClass';
import { compositing } from './classes/compositing';
import { imageNodes } from './classes/images';
import { loaders } from './classes/loaders';
import { makers } from './classes/makers';
import { primitives } from './classes/primitives';
import { sandboxNodes } from './classes/sandboxNodes';
import { saveMedia } from './classes/saveMedia';
import { savers } from './classes/savers';
import { textToImage } from './classes/textToImage';

/** By the place in an editor's menu. */
const GROUPS: Readonly<Record<string, Record<string, NodeClass>>> = {
	image: { ...loaders, ...imageNodes, ...compositing, ...savers },
	make: { ...makers, ...primitives },
	sampling: textToImage,
	media: saveMedia,
	sandbox: sandboxNodes,
};

/** Every class this engine knows, by name. Names that do not start with `Sandbox` are ComfyUI's own. */
export const nodeClasses: ReadonlyMap<string, NodeClass> = new Map(Object.values(GROUPS).flatMap((group) => Object.entries(group)));

/** The menu a class stands in. */
export const categoryOf = (name: string): string => Object.entries(GROUPS).find(([, group]) => Object.hasOwn(group, name))?.[0] ?? '';
