//! List and watch over kube-client: requests out; frames, pages and events in.
