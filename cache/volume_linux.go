package cache

import "golang.org/x/sys/unix"

// volume is what the store wants to know of the file system under a directory.
type volume struct {
	free    int64
	network string // name of the network file system, "" when local
}

// networks are the file systems on which locks, mapped writes or caches of other hosts cannot be trusted. FUSE is among
// them: what is behind it is unknown.
var networks = map[uint32]string{
	0x6969:     "NFS",
	0x517B:     "SMB",
	0xFF534D42: "CIFS",
	0xFE534D42: "SMB2",
	0x65735546: "FUSE",
	0x01021997: "9P",
	0x00C36400: "Ceph",
	0x0BD00BD0: "Lustre",
	0x47504653: "GPFS",
	0x19830326: "BeeGFS",
	0x5346414F: "AFS",
	0x73757245: "Coda",
	0xAAD7AAEA: "PanFS",
	0x7461636F: "OCFS2",
	0x01161970: "GFS2",
}

func statVolume(dir string) (volume, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return volume{}, err
	}
	return volume{free: int64(st.Bavail) * int64(st.Bsize), network: networks[uint32(st.Type)]}, nil
}
